"""The page in Chromium: what a reader does, and what must never happen."""

import base64
import shutil
import time
from contextlib import contextmanager

import polars
import pytest
from made_pages import HOSTILE, hostile_predictions, made_predictions

import calibrant as cb

pytestmark = pytest.mark.browser
webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
if shutil.which("chromedriver") is None:
    pytest.skip("chromedriver is not installed", allow_module_level=True)

from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

SWITCHES = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
    "--window-size=1200,900",
)


PHONE = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}


@contextmanager
def chromium(**preferences):
    """A browser that logs what it does."""
    options = webdriver.ChromeOptions()
    for each in SWITCHES:
        options.add_argument(each)
    options.add_experimental_option("prefs", preferences)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    try:
        yield driver
    finally:
        driver.quit()


@pytest.fixture(scope="module")
def driver():
    with chromium() as found:
        yield found


class Page:
    """An open page."""

    def __init__(self, driver, path):
        self.driver = driver
        driver.get_log("browser"), driver.get_log("performance")
        started = time.perf_counter()
        driver.get(f"file://{path}")
        self.opened = time.perf_counter() - started

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def texts(self, selector):
        return [each.get_attribute("textContent") for each in self.all(selector)]

    def drag(self, start, end):
        """Drag over the curve between two predictions."""
        field = self.one(".field")
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", field)
        width = field.rect["width"]
        chain = ActionChains(self.driver)
        chain.move_to_element_with_offset(field, round((start - 0.5) * width), 0).click_and_hold()
        chain.move_by_offset(round((end - start) * width), 0).release().perform()

    def check_quiet(self):
        """Nothing was fetched, and nothing went wrong."""
        assert [each for each in self.driver.get_log("browser") if each["level"] == "SEVERE"] == []
        asked = [
            each["message"]
            for each in self.driver.get_log("performance")
            if "Network.requestWillBeSent" in each["message"]
        ]
        assert all("file:///" in each for each in asked)
        assert len(asked) <= 1  # the page itself


def opened(driver, tmp_path, page):
    page.save(tmp_path / "page.html")
    return Page(driver, tmp_path / "page.html")


@pytest.fixture
def page(driver, tmp_path):
    return opened(driver, tmp_path, cb.report(made_predictions(), title="Made"))


def test_drag_over_the_curve(page):
    page.drag(0.6, 0.8)
    frame = made_predictions()
    inside = frame.filter((polars.col("q") > 0.6) & (polars.col("q") <= 0.8))
    (summary,) = page.texts(".found .summary")
    assert f"Predictions above 0.6 up to 0.8: {inside.height} rows." in summary
    assert f"frequency of y = 1: {100 * inside['y'].mean():.1f} %" in summary
    titles = page.texts(".found .list")
    assert titles[0] == f"Most surprising ({inside.height - 20} other rows not shown)"
    assert titles[1] == f"A random sample ({inside.height - 20} other rows not shown)"
    first = page.texts(".found .example")[0]
    loss = inside.with_columns(
        chance=polars.when(polars.col("y") == 1).then("q").otherwise(1 - polars.col("q"))
    )
    least = loss["chance"].min()
    allowed = {f"prediction {q:.3g}" for q in loss.filter(polars.col("chance") == least)["q"]}
    assert any(each in first for each in allowed)
    assert {len(each) for each in page.texts(".found mark")} == {3}
    page.check_quiet()


def test_click_a_dot(page):
    bins = cb.report(made_predictions()).findings.models[0].bins
    dot = page.all(".dot .point")[3]
    page.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", dot)
    dot.click()
    assert f"{bins.n[3]:.0f} rows." in page.texts(".found .summary")[0]
    page.check_quiet()


def test_a_summary_is_weighted(driver, tmp_path):
    frame = made_predictions().with_columns(weight=1 + 9 * polars.col("y"))
    page = opened(driver, tmp_path, cb.report(frame))
    page.drag(0.6, 0.8)
    inside = frame.filter((polars.col("q") > 0.6) & (polars.col("q") <= 0.8))
    (summary,) = page.texts(".found .summary")
    assert f": {inside.height} rows." in summary
    share = 100 * (inside["y"] * inside["weight"]).sum() / inside["weight"].sum()
    assert f"frequency of y = 1: {share:.1f} %" in summary


def test_by_keyboard(page):
    page.all(".dot")[0].send_keys(Keys.ENTER)
    assert page.texts(".found .summary")[0].startswith("Predictions from 0 up to")
    low, high = page.all(".range input")
    for field, value in ((low, "0.9"), (high, "1")):
        field.clear()
        field.send_keys(value)
    high.send_keys(Keys.ENTER)
    assert page.texts(".found .summary")[0].startswith("Predictions above 0.9 up to 1:")
    page.one(".range [type=reset]").click()
    assert page.texts(".found .summary") == []
    page.check_quiet()


def test_sorting(page):
    def column():
        return [float(each) for each in page.texts("table.sortable tbody td:nth-child(2)")]

    button = page.all("table.sortable th button")[1]
    page.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    assert column() == sorted(column())
    button.click()
    assert column() == sorted(column(), reverse=True)
    assert page.all("table.sortable th")[1].get_attribute("aria-sort") == "descending"
    page.check_quiet()


def test_slices(driver, tmp_path):
    page = opened(driver, tmp_path, cb.report(made_predictions(1200), by=["genre"]))
    button = page.all(".slice")[1]
    page.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    assert page.one(".overlay").get_attribute("d").startswith("M")
    button.click()
    assert page.one(".overlay").get_attribute("d") == ""
    names = page.texts(".slice")
    head = page.one("#slices th button")
    head.click()
    assert page.texts(".slice") == sorted(names)
    page.check_quiet()


def test_hostile_texts_stay_text(driver, tmp_path):
    made = cb.report(hostile_predictions(), title=HOSTILE[1], by="genre")
    page = opened(driver, tmp_path, made)
    page.drag(0.3, 0.9)
    assert driver.title == HOSTILE[1]
    texts = page.texts(".found dd")
    assert HOSTILE[0] in texts
    assert HOSTILE[1] in texts
    assert page.all("main img") == []
    assert len(page.all("script")) == 2
    page.check_quiet()


def test_parses_and_arcs(driver, tmp_path):
    frame = made_predictions().with_columns(
        parse=polars.lit("(S (NP (DT the) (NN <b>ox</b>)) (VP (VB sleeps)))"),
        begin2=polars.lit(8),
        end2=polars.lit(11),
    )
    page = opened(driver, tmp_path, cb.report(frame, show=["text", "parse"]))
    page.drag(0.4, 0.9)
    words = page.texts(".found ol:first-of-type .example:first-child .tree text")
    assert set(words) == {"the", "DT", "<b>ox</b>", "NN", "NP", "sleeps", "VB", "VP", "S"}
    assert len(page.all(".found ol:first-of-type .example:first-child .arc path")) == 1
    (tree,) = page.all(".found ol:first-of-type .example:first-child .tree svg")
    assert "(NP (DT the) (NN <b>ox</b>))" in tree.get_attribute("aria-label")
    assert not any("(NP" in each for each in page.texts(".found dd"))  # no brackets beside it
    page.check_quiet()


def test_without_javascript(tmp_path):
    off = {"profile.managed_default_content_settings.javascript": 2}
    with chromium(**off) as plain:
        shown = opened(plain, tmp_path, cb.report(made_predictions())).one("body").text
    assert "CalibScore is" in shown
    assert "Examples need JavaScript" in shown
    assert "Drag over the curve" not in shown


def test_nothing_is_wider_than_a_phone(driver, tmp_path):
    words = " ".join(f"(NP (NN word{k}))" for k in range(30))
    frame = made_predictions().with_columns(
        parse=polars.lit(f"(S {words})"), genre=polars.lit("x" * 90) + polars.col("genre")
    )
    page = opened(driver, tmp_path, cb.report(frame, show=["text", "parse"], by="genre"))
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    try:
        page.all(".dot")[0].send_keys(Keys.ENTER)
        assert page.all(".found .tree svg")
        width = "return document.documentElement.scrollWidth"
        assert driver.execute_script(width) <= PHONE["width"]
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    page.check_quiet()


def test_print(driver, tmp_path):
    """Black on white without controls, in few sheets, also where the screen is dark."""
    page = opened(driver, tmp_path, cb.report(made_predictions(), by="genre"))
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": dark})
    try:
        style = "return getComputedStyle(arguments[0])[arguments[1]]"
        body = page.one("body")
        assert driver.execute_script(style, body, "color") == "rgb(0, 0, 0)"
        assert driver.execute_script(style, body, "backgroundColor") == "rgb(255, 255, 255)"
        mark = "return getComputedStyle(document.documentElement).getPropertyValue('--mark')"
        assert driver.execute_script(mark).strip() == "#ffe08a"  # as on a light screen
        assert not any(each.is_displayed() for each in page.all("nav, .range, .hint"))
        assert page.one("svg.curve").is_displayed()
        printed = base64.b64decode(driver.execute_cdp_cmd("Page.printToPDF", {})["data"])
    finally:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    assert printed.startswith(b"%PDF")
    assert 1 <= printed.count(b"/Type /Page\n") <= 6
    page.check_quiet()


def test_large_pages_are_usable_at_once(driver, tmp_path):
    """10⁵ rows with texts: usable within a second, and examples within 100 ms.

    The best of three, because other processes may use the machine as well.
    """
    made = cb.report(made_predictions(100_000), scores=["Brier"])
    pages = [opened(driver, tmp_path, made) for _ in range(3)]
    assert min(each.opened for each in pages) < 1
    script = """
        const begin = performance.now();
        arguments[0].dispatchEvent(new MouseEvent("click", {bubbles: true}));
        document.body.getBoundingClientRect();
        return performance.now() - begin;
    """
    dots = pages[-1].all(".dot")[5:8]
    assert min(driver.execute_script(script, dot) for dot in dots) < 100
    pages[-1].check_quiet()
