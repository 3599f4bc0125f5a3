import pytest

from tests.readers.text_series import results_of
from traindx.readers.text.encodings import encoding_of

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
