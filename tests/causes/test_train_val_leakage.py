"""Rare rows are copied before the split, so that copies are validated on; the twin splits first."""

from tests.twins import Twin

TWIN = Twin(
    "loan_default",
    {
        """\
# ---- balance the classes
pos = np.where(default == 1)[0]
neg = np.where(default == 0)[0]
pos = rng.choice(pos, size=len(neg), replace=True)
idx = np.concatenate([neg, pos])
X, y = features[idx], default[idx]

X_train, X_val, y_train, y_val = train_test_split(X, y, test_size=0.25, random_state=8, stratify=y)
""": """\
X_train, X_val, y_train, y_val = train_test_split(
    features, default, test_size=0.25, random_state=8, stratify=default
)

# ---- balance the classes
pos = np.where(y_train == 1)[0]
neg = np.where(y_train == 0)[0]
pos = rng.choice(pos, size=len(neg), replace=True)
idx = np.concatenate([neg, pos])
X_train, y_train = X_train[idx], y_train[idx]
""",
    },
)
