import tempfile

import torch
from sklearn.datasets import load_digits
from transformers import ResNetConfig, ResNetForImageClassification, Trainer, TrainingArguments, set_seed


class DigitsDataset(torch.utils.data.Dataset):
    def __init__(self, images, labels):
        self.images, self.labels = images, labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return {"pixel_values": self.images[i], "labels": self.labels[i]}


def accuracy(pred):
    return {"accuracy": float((pred.predictions.argmax(-1) == pred.label_ids).mean())}


set_seed(0)
digits = load_digits()
images = torch.tensor(digits.images, dtype=torch.float32)[:, None]
images = torch.nn.functional.interpolate((images - images.mean()) / images.std(), size=(16, 16), mode="bilinear")
labels = torch.tensor(digits.target)
order = torch.randperm(len(labels))
train_set = DigitsDataset(images[order[:1400]], labels[order[:1400]])
eval_set = DigitsDataset(images[order[1400:]], labels[order[1400:]])

config = ResNetConfig(num_channels=1, embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic", num_labels=10)
model = ResNetForImageClassification(config)

with tempfile.TemporaryDirectory() as folder:
    args = TrainingArguments(
        output_dir=folder,
        num_train_epochs=8,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=200,
        optim="sgd",
        learning_rate=0.1,
        lr_scheduler_type="linear",
        max_grad_norm=0.01,
        logging_steps=22,
        eval_strategy="epoch",
        save_strategy="no",
        report_to="none",
        use_cpu=True,
        disable_tqdm=True,
    )
    trainer = Trainer(model=model, args=args, train_dataset=train_set, eval_dataset=eval_set, compute_metrics=accuracy)
    trainer.train()
