"""Parts of one search put together, and the certificate that anyone can check."""
