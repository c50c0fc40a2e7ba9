#!/usr/bin/env bash
# Makes the records of this folder again and fills the tables: measure.sh DATA [PATTERN]
#   DATA     folder with scenes/aws_small_house.glb and navmesh/aws_small_house.navmesh
#   PATTERN  part of the names of the records to make; all without it
#   PEERS    (environment) folder with a virtual environment for each of miniworld, mujoco, pyrender, vizdoom;
#            without it they are taken from batchnav's own environment
#   WINDOWS  (environment) seconds of the five windows of each contestant together, default 6
# Nothing else should run meanwhile. Every record takes about a minute; sb3 and sb3-contrib must be where batchnav is.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
data=${1:?give the folder with scenes/ and navmesh/}
pattern=${2:-}
seconds=${WINDOWS:-6}
[ -z "${PEERS:-}" ] || PEERS=$(cd "$PEERS" && pwd)
pythons=()
for name in miniworld mujoco pyrender vizdoom; do
    [ -z "${PEERS:-}" ] || pythons+=("$name=$PEERS/$name/bin/python")
done
cd "$data"

bench() {
    local name=$1
    shift
    [[ "$name" == *"$pattern"* ]] || return 0
    batchnav bench "$@" --seconds "$seconds" --json "$here/$name.json"
}

compared() { # with whom a backend ($1) is compared in images ($2) of a size ($3): GL with others that use it
    local peers=pyrender,miniworld
    [ "$2" != depth ] || peers=mujoco,$peers
    [ "$1" = gl ] || peers=$peers,vizdoom
    if [ "$3" = 64 ] && [ "${4:-}" = peers -o "$1 $2" != "embree depth" ]; then
        echo "--compare $peers ${pythons:+--peer-python ${pythons[*]}}"
    elif [ "$1 $2" = "embree depth" ]; then
        echo "--compare embreex"
    fi
}

small_house="--scenes scenes/aws_small_house.glb --navmesh navmesh/aws_small_house.navmesh"
for backend in embree gl; do
    for images in depth rgb "depth rgb"; do
        for size in 64 128; do
            how="--backend $backend --sensors $images --resolution $size $(compared $backend "$images" $size)"
            what="${images/ /-}-$size-$backend"
            bench "render-aws_small_house-$what" render $small_house $how
            bench "render-houses-$what" render $how
        done
    done
    bench "step-houses-depth-64-$backend" step --backend $backend --compare sync,async
done
bench step-constant-houses-1024 step --backend constant --num-envs 1024
# Apart: with so many peers in one run everyone was a fifth slower.
how="--backend embree $(compared embree depth 64 peers)"
bench render-aws_small_house-peers-depth-64-embree render $small_house $how
bench render-houses-peers-depth-64-embree render $how
bench render-aws_small_house-subdivided-depth-64-embree render $small_house --backend embree --subdivide 4 \
    --compare embreex
bench render-aws_small_house-swaps-depth-64-embree render $small_house --backend embree --num-envs 64 --swap-every 50
bench render-houses-swaps-depth-64-embree render --backend embree --num-envs 64 --swap-every 20
bench render-houses-swaps-depth-64-gl render --backend gl --num-envs 64 --swap-every 20
for images in depth "depth rgb"; do
    how="--num-envs 16 --sensors $images"
    for backend in embree gl; do
        bench "start-aws_small_house-${images/ /-}-64-$backend" start $how --backend $backend \
            --scenes scenes/aws_small_house.glb
    done
    bench "start-houses-${images/ /-}-64-embree" start $how --backend embree
done
bench train-houses-depth-64-embree train --num-envs 128 --backend embree
# Apart, and longer: a window holds at least one update, and an update of sb3-recurrent takes seconds.
bench train-houses-peers-depth-64-embree train --num-envs 128 --backend embree --compare sb3,sb3-recurrent
bench train-houses-overlap-depth-64-embree train --num-envs 128 --backend embree --compare overlap,act-threads
bench train-houses-overlap-256-depth-64-embree train --num-envs 256 --backend embree --compare overlap,act-threads
python "$here/table.py"
