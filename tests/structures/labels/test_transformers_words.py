"""Logits of a real token classifier, tiny and randomly initialised: nothing is downloaded."""

import warnings

import numpy as np
import pytest

import calibrant as cb
from calibrant.errors import InputError
from calibrant.outputs import word_labels

pytestmark = pytest.mark.libraries

NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
PIECES = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "ada",
    "wash",
    "##ing",
    "##ton",
    "sleeps",
    "in",
    "rome",
]
SENTENCES = [["Washington", "sleeps"], ["Ada", "in", "Rome", "sleeps"], ["Rome"]]
TAGS = [["B-PER", "O"], ["B-PER", "O", "B-LOC", "O"], ["B-LOC"]]


def library(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what it imports
        return pytest.importorskip(name, reason=f"{name} is not installed")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The model, the encoded sentences, and the logits."""
    torch, transformers = library("torch"), library("transformers")
    path = tmp_path_factory.mktemp("vocabulary") / "vocab.txt"
    path.write_text("\n".join(PIECES), "utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tokenizer = transformers.BertTokenizerFast(str(path), do_lower_case=True)
        config = transformers.BertConfig(
            vocab_size=len(PIECES),
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=32,
            id2label=dict(enumerate(NAMES)),
            label2id={name: k for k, name in enumerate(NAMES)},
        )
        torch.manual_seed(0)
        model = transformers.BertForTokenClassification(config).eval()
        with torch.no_grad():
            model.classifier.weight.mul_(40)  # so that the logits differ
        batch = tokenizer(SENTENCES, is_split_into_words=True, padding=True, return_tensors="pt")
        with torch.no_grad():
            logits = model(**batch).logits
    return torch, model, batch, logits


def ids_of(batch):
    return [batch.word_ids(k) for k in range(len(SENTENCES))]


def test_rows_are_first_pieces(made):
    """The adapter against torch's own softmax, at tokens found by hand."""
    _, model, batch, logits = made
    names = [model.config.id2label[k] for k in range(model.config.num_labels)]
    words = word_labels(logits, ids_of(batch), names)
    assert words.sentence.tolist() == [0, 0, 1, 1, 1, 1, 2]
    assert words.labels.names == tuple(NAMES)
    # [CLS] wash ##ing ##ton sleeps [SEP]: the second word is the fifth token
    tokens = [1, 4, 1, 2, 3, 4, 1]
    rows = logits.double().softmax(-1)[words.sentence, tokens]
    np.testing.assert_allclose(words.labels.probabilities, rows.numpy(), rtol=1e-12)
    pairs = cb.ask(words.labels, words.gold(TAGS), cb.TopLabel(), group=words.sentence)
    assert (len(pairs), pairs.groups) == (7, 3)


def test_labels_of_training_give_the_same(made):
    torch, _, batch, logits = made
    labels = torch.full(logits.shape[:2], -100)
    for k, ids in enumerate(ids_of(batch)):
        seen = set()
        for token, word in enumerate(ids):
            if word is not None and word not in seen:
                labels[k, token] = NAMES.index(TAGS[k][word])
                seen.add(word)
    by_labels = word_labels(logits, classes=NAMES, label_ids=labels)
    by_words = word_labels(logits, ids_of(batch), NAMES)
    np.testing.assert_array_equal(by_labels.labels.probabilities, by_words.labels.probabilities)
    assert by_labels.gold(labels) == by_words.gold(TAGS)


def test_padding_and_batches_change_little(made):
    """One sentence at a time gives the same probabilities, up to single precision."""
    torch, model, batch, logits = made
    together = word_labels(logits, ids_of(batch), NAMES)
    apart = []
    for k in range(len(SENTENCES)):
        size = int(batch["attention_mask"][k].sum())
        with torch.no_grad():
            alone = model(input_ids=batch["input_ids"][k : k + 1, :size]).logits
        apart.append(word_labels(alone, [ids_of(batch)[k][:size]], NAMES).labels.probabilities)
    np.testing.assert_allclose(np.concatenate(apart), together.labels.probabilities, atol=1e-4)


def test_the_loss_is_the_log_loss(made):
    """A law: the mean loss of the model is −log q of the gold, over first pieces."""
    torch, model, batch, logits = made
    words = word_labels(logits, ids_of(batch), NAMES)
    gold = words.gold(TAGS)
    labels = torch.full(logits.shape[:2], -100)
    for k, ids in enumerate(ids_of(batch)):
        for token, word in reversed(list(enumerate(ids))):
            if word is not None:
                labels[k, token] = NAMES.index(TAGS[k][word])
                for later in range(token + 1, len(ids)):
                    if ids[later] == word:
                        labels[k, later] = -100
    with torch.no_grad():
        loss = model(**batch, labels=labels).loss.item()
    q = words.labels.probabilities[np.arange(len(gold)), words.labels.codes(gold)]
    assert -np.log(q).mean() == pytest.approx(loss, rel=1e-5)


def test_tensors_with_a_gradient_or_in_half_precision(made):
    torch, model, batch, plain = made
    expected = word_labels(plain, ids_of(batch), NAMES).labels.probabilities
    logits = model(**batch).logits
    assert logits.requires_grad
    found = word_labels(logits, ids_of(batch), NAMES).labels.probabilities
    np.testing.assert_allclose(found, expected, atol=1e-6)
    half = word_labels(plain.to(torch.bfloat16), ids_of(batch), NAMES).labels.probabilities
    np.testing.assert_allclose(half, expected, atol=0.05)
    if torch.cuda.is_available():
        there = word_labels(plain.cuda(), ids_of(batch), NAMES).labels.probabilities
        np.testing.assert_array_equal(there, expected)


def test_sequence_classification(made):
    torch, transformers = library("torch"), library("transformers")
    config = transformers.BertConfig(
        vocab_size=len(PIECES),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
        num_labels=3,
    )
    torch.manual_seed(1)
    model = transformers.BertForSequenceClassification(config).eval()
    with torch.no_grad():
        logits = model(input_ids=made[2]["input_ids"]).logits
    labels = cb.Labels.from_logits(logits, ["a", "b", "c"])
    np.testing.assert_allclose(labels.probabilities, logits.double().softmax(-1).numpy())
    with pytest.raises(InputError, match="all rows are probabilities already"):
        cb.Labels.from_logits(logits.softmax(-1))
