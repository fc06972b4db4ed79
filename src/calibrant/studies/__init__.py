"""Complete experiments. Each follows a plan and writes tables, figures and findings."""
