import re
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.readers.text_series import results_of
from traindx.readers.loading.files import in_memory
from traindx.readers.text.lines import (
    HOLE,
    LONGEST,
    REDRAWN,
    UNFINISHED,
    encoding_of,
    filled,
    lines_of,
    normal_of,
    number_of,
    parted,
)
from traindx.readers.types import Source


def lines(data: bytes) -> list[str]:
    return list(lines_of(in_memory("t", data)))


def test_line_ends_of_all_kinds() -> None:
    assert lines(b"a\nb\r\nc\n") == ["a", "b", "c"]
    assert lines(b"a\rb\rc\n") == ["a" + REDRAWN, "b" + REDRAWN, "c"]
    assert lines(b"a\nb") == ["a", "b" + UNFINISHED]
    assert lines(b"") == []


def test_colors_titles_and_cursor_movements() -> None:
    assert lines(b"\x1b[31mstep: 1 \x1b[38;2;180;60;0mloss: 2\x1b[0m\x1b[A\n") == ["step: 1 loss: 2"]
    assert lines(b"\x1b]0;title\x07x\n") == ["x"]
    assert lines(b"^[[32mloss^[[0m \\u001b[32m1\\u001b[0m\n") == ["loss 1"]


def test_a_bar_wiped_out_by_backspaces() -> None:
    assert lines(b" 1/9 [..]\b\b\b\b\b 2/9 [..]\n") == [" 1/9 [..]" + REDRAWN, " 2/9 [..]"]


def test_null_bytes_are_left_out() -> None:
    assert lines(b"\0\0a\0\n") == ["a"]


def test_encodings() -> None:
    assert lines("Zeit ▌ 5\n".encode()) == ["Zeit ▌ 5"]
    assert encoding_of("Übung".encode("latin-1") * 5) == "latin-1"
    assert lines("déjà\n".encode("latin-1")) == ["déjà"]
    assert lines(b"caf\xc3\xa9 \xff\xc3\xa9\n") == ["café \ufffdé"]


def test_a_line_without_end_is_not_kept_whole() -> None:
    (line,) = lines(b"x" * (9 << 20))
    assert LONGEST < len(line) < 2 * LONGEST + (1 << 22)


class _InPieces(Source):
    def blocks(self, size: int = 3) -> Iterator[bytes]:
        assert self.data is not None
        for begin in range(0, len(self.data), size):
            yield self.data[begin : begin + size]


@given(st.text(alphabet="ab1é\r\n\b ", max_size=40))
def test_blocks_may_end_anywhere(text: str) -> None:
    data = text.encode()
    assert list(lines_of(_InPieces("t", data, data))) == lines(data)


def shape(line: str) -> tuple[str, list[str]]:
    raw, numbers = parted(line)
    normal = normal_of(raw)
    return normal.shape.replace(HOLE, "_"), normal.numbers(numbers)


def test_numbers_are_taken_out() -> None:
    assert shape("iter 20: loss 9.4990, time 1516.36ms") == (
        "iter _: loss _, time _ms",
        ["20", "9.4990", "1516.36"],
    )
    assert shape("lr=1e-05 tok/sec: 24,514 x=-0.5") == ("lr=_ tok/sec: _ x=-_", ["1e-05", "24,514", "0.5"])


def test_digits_in_names_are_no_numbers() -> None:
    assert shape("Acc@1 5 mAP50 6 rouge-1 7 mAP@0.5 8 epoch-3") == (
        "Acc@1 _ mAP50 _ rouge-1 _ mAP@0.5 _ epoch-_",
        ["5", "6", "7", "8", "3"],
    )


def test_padding_does_not_matter() -> None:
    assert shape(" iteration       10/    1000 | loss:  8.1") == shape(" iteration 10/    1000 | loss: 8.1")
    assert shape("[ 120/2669]")[0] == shape("[2660/2669]")[0]
    assert shape("done   loss: 5")[0] == "done\tloss: _"


def test_nan_is_a_number_where_it_is_a_value() -> None:
    assert shape("loss: nan | number of nan iterations: 0") == (
        "loss: _ | number of nan iterations: _",
        ["nan", "0"],
    )
    assert shape("loss nan, acc -inf") == ("loss _, acc -_", ["nan", "inf"])
    assert shape("Loss nan (NaN) info")[1] == ["nan", "NaN"]
    assert shape("found nan: 3") == ("found nan: _", ["3"])


def test_bars_are_evened_out() -> None:
    assert shape(" 5%|##5   | 273/5000 [")[0] == " _%| _/_ ["
    assert shape("3/9 [==>....] - loss: 1")[0] == shape("9/9 [======] - loss: 1")[0]
    assert shape("10%|# | 1/9 [00:01<00:02]{'loss': 1}") == ("{'loss': _}", ["1"])


def test_metrics_named_by_numbers() -> None:
    line = " Average Recall     (AR) @[ IoU=0.50:0.95 | area= small | maxDets= 10 ] = 0.25"
    assert shape(line) == (" coco/ARs: _", ["0.25"])
    assert shape(line.replace(" small", "   all"))[0] == " coco/AR10: _"
    assert (
        shape(line.replace("Recall     (AR)", "Precision  (AP)").replace(":0.95", ""))[0] == " coco/AP50s: _"
    )


def test_the_values_of_numbers() -> None:
    spelled = ["5", "1e-3", "24,514", "0.5.", "nan", "1.8.0"]
    assert [repr(number_of(s)) for s in spelled] == ["5.0", "0.001", "24514.0", "0.5", "nan", "None"]


@example("loss\t.1")
@given(st.text(alphabet="ab 1.,:=|%[](){}'-+e\t", max_size=60))
def test_parts_put_together_again_are_the_line(line: str) -> None:
    if "%|" not in line:
        # Only the zero is put in that a program left out.
        assert filled(*parted(line)) == re.sub(r"(?:(?<=[=\s])|(?<=[=:,(\s]-))\.(?=\d)", "0.", line)


_CHINESE = "第 {} 轮训练结束,损失为 0.52,验证集准确率 0.81。模型已保存到目录中\n"
_TAIWANESE = "第 {} 輪訓練結束,損失為 0.52,驗證集準確率 0.81。模型已保存到目錄中\n"
_JAPANESE = "エポック {} 学習損失 0.52 検証精度 0.81 モデルを保存しました\n"
_KOREAN = "에포크 {} 학습 손실 0.52 검증 정확도 0.81 모델을 저장했습니다\n"
_RUSSIAN = "Эпоха {}, потери на обучении 0.52, точность 0.81, модель сохранена\n"
_FRENCH = "Époque {}, perte d'entraînement 0.52, modèle enregistré à côté\n"
_BOX = "╒═════╤═════╕\n│ lr  │ {}  │\n╘═════╧═════╛\n"


@pytest.mark.parametrize(
    ("text", "written", "found"),
    [
        (_CHINESE, "gbk", "gb18030"),
        (_CHINESE, "gb18030", "gb18030"),
        (_BOX, "gbk", "gb18030"),
        (_TAIWANESE, "big5", "big5"),
        (_JAPANESE, "shift_jis", "shift_jis"),
        (_JAPANESE, "euc_jp", "euc_jp"),
        (_KOREAN, "euc_kr", "euc_kr"),
        (_RUSSIAN, "cp1251", "cp1251"),
        (_FRENCH, "cp1252", "latin-1"),
        *((text, "utf-8", "utf-8") for text in (_CHINESE, _JAPANESE, _KOREAN, _RUSSIAN, _FRENCH, _BOX)),
    ],
)
def test_the_encoding_is_told_by_the_letters(text: str, written: str, found: str) -> None:
    data = "".join(text.format(n) for n in range(20)).encode(written)
    assert encoding_of(data) == found
    # A head ends anywhere, also inside a letter.
    assert encoding_of(data[:-2]) == found


def test_bytes_that_are_no_text_are_not_decoded() -> None:
    assert encoding_of(bytes(range(256)) * 4) == "latin-1"


def test_a_few_torn_letters_leave_a_text_in_utf_8() -> None:
    data = (_CHINESE.format(1) * 9).encode()
    assert encoding_of(data[:-40] + b"\xe7\xac" + data[-40:]) == "utf-8"


def test_a_log_in_an_old_encoding_is_read() -> None:
    lines = "".join(f"第 {n} 轮 | epoch: {n}/3, total_loss: {3.5 - n}, lr: 0.01\n" for n in (1, 2, 3))
    assert results_of((_BOX * 30 + lines).encode("gbk")) == {
        "total_loss epoch": [(1, 2.5), (2, 1.5), (3, 0.5)]
    }
