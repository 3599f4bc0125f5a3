"""Four linear layers in a row; the twin has ReLUs between them."""

from tests.twins import Twin

TWIN = Twin(
    "bumps_keras",
    {
        'kernel_initializer="he_normal")(inputs)': '"relu", kernel_initializer="he_normal")(inputs)',
        '(64, kernel_initializer="he_normal")(h)': '(64, "relu", kernel_initializer="he_normal")(h)',
        '(32, kernel_initializer="he_normal")(h)': '(32, "relu", kernel_initializer="he_normal")(h)',
    },
)
