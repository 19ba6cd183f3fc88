#!/bin/sh
# Installs SLURM from Debian where it is missing. Where that cannot be, the tests say so and are skipped.
PATH=$PATH:/usr/sbin:/sbin
for program in slurmctld slurmd sbatch munged; do
  command -v $program >/dev/null || missing=1
done
[ -n "$missing" ] || exit 0
echo "Installing SLURM from Debian (13 MB)"
{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
  slurmctld slurmd slurm-client munge; } >/dev/null 2>&1 || echo "SLURM could not be installed: its tests are skipped"
