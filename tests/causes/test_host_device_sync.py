"""Every probability is fetched by itself; the twin fetches a batch at once."""

from tests.twins import Twin

TWIN = Twin(
    "neuron_decoder",
    {
        """\
        for k in range(len(y)):
            correct += (probs[k].argmax() == y[k]).item()
            loss_sum += losses[k].item()
            for c in range(8):
                soft_confusion[y[k].item(), c] += probs[k, c].detach().cpu().item()
""": """\
        correct += (probs.argmax(1) == y).sum().item()
        loss_sum += losses.sum().item()
        np.add.at(soft_confusion, y.cpu().numpy(), probs.detach().cpu().numpy())
""",
    },
)
