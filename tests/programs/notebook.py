#!/usr/bin/env python

# # Fitting a noisy spiral

# In[1]:


import math

import torch
import torch.nn as nn
from reproducible import fingerprint, seed_everything

torch.set_num_threads(1)
seed_everything(56)


# In[2]:


t = torch.rand(240) * 3 * math.pi
side = torch.randint(0, 2, (240,))
X = torch.stack([t.cos(), t.sin()], 1) * (t * (2 * side - 1)).unsqueeze(1) / 10 + 0.02 * torch.randn(240, 2)
X.shape, side.float().mean()


# In[3]:


model = nn.Sequential(
    nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1), nn.Sigmoid()
)
loss_fn = nn.BCELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
history = []


# In[4]:


for epoch in range(80):
    pred = model(X).squeeze(1)
    loss = loss_fn(pred, side.float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history.append(loss.item())
    print(f"epoch {epoch}: loss {loss.item()!r}")


# In[5]:


# running the cell again goes on with the same model
for epoch in range(20):
    pred = model(X).squeeze(1)
    loss = loss_fn(pred, side.float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history.append(loss.item())
    print(f"epoch {80 + epoch}: loss {loss.item()!r}")


# In[6]:


print(fingerprint(model, optimizer))
