import logging
import warnings

import lightning
import torch
from reproducible import fingerprint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
torch.set_num_threads(1)


class LitClassifier(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Dropout(0.1), nn.Linear(24, 3))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.cross_entropy(self.net(x), y)
        self.log("train_loss", loss)
        print(f"step {self.global_step} loss {loss.item()!r}")
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self.net(x)
        self.log("val_loss", nn.functional.cross_entropy(logits, y))
        self.log("val_acc", (logits.argmax(1) == y).float().mean())

    def on_validation_epoch_end(self):
        print(f"val_loss {self.trainer.callback_metrics['val_loss'].item()!r}")

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=5e-3)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)]


def main():
    lightning.seed_everything(7, verbose=False)
    x = torch.randn(400, 10)
    y = (x @ torch.randn(10, 3)).argmax(1)
    train = DataLoader(TensorDataset(x[:320], y[:320]), batch_size=32, shuffle=True)
    val = DataLoader(TensorDataset(x[320:], y[320:]), batch_size=40)
    model = LitClassifier()
    trainer = lightning.Trainer(
        max_epochs=3,
        accelerator="cpu",
        gradient_clip_val=1.0,
        num_sanity_val_steps=0,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(model, train, val)
    print(fingerprint(model, trainer.optimizers[0]))


if __name__ == "__main__":
    main()
