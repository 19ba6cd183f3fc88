"""The claims of CA (Afkanpour et al. 2013) on MNIST, Sections 3.2 and B.1; `grambench.claims.ca` holds them."""

from grambench.claims import ca

CLAIMS = ca.MNIST_AND_LETTER
