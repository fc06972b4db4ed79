import calibrant


def test_the_public_names_are_exactly_the_exported_ones():
    import types

    visible = {
        name
        for name, value in vars(calibrant).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }
    assert visible | {"synthetic", "__version__"} == set(calibrant.__all__)
    assert sorted(calibrant.__all__) == sorted(set(calibrant.__all__))
