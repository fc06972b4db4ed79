// Sums of cells on NVIDIA GPUs. The cells are those of cells.py, which says what they are.
//
// Compiled at run time with these names defined: BITS and FOLDS, the grid; SLOTS, the number of
// slots; ASIDE_..., the slots after the last, which count what is left out, and ASIDES, their
// number. For pairs: REAL and OBSERVED, the types of q and y; PACK, the bits of a packed count. For
// rows of logits: one of BFLOAT16, FLOAT16 and FLOAT32; EVERY; IGNORED, the label of rows to skip.

typedef long long i64;
typedef unsigned long long u64;
typedef unsigned int u32;

const u32 HALF = 1u + (64u << BITS);
const u32 CELLS = 2 * HALF;

struct Place {
  u32 cell;
  u32 inside;  // from 0 to 2^23
};

__device__ Place placed(u32 near, u32 inside, bool upper) {
  return {upper ? CELLS - 1 - near : near, inside};
}

__device__ Place place(float r, bool upper) {
  u32 bits = __float_as_uint(r) & 0x7fffffffu;
  int step = (int)(bits >> (23 - BITS)) - (63 << BITS);
  u32 near = bits == 0 ? 0 : 1 + max(step, 0);
  return placed(near, step < 0 ? 0 : (bits << BITS) & 0x7fffffu, upper);
}

__device__ Place place(double r, bool upper) {
  u64 bits = (u64)__double_as_longlong(r) & 0x7fffffffffffffffull;
  int step = (int)(bits >> (52 - BITS)) - (959 << BITS);
  u32 near = bits == 0 ? 0 : 1 + max(step, 0);
  u64 inside = bits & ((1ull << (52 - BITS)) - 1);
  u32 rounded = (u32)((inside + (1ull << (28 - BITS))) >> (29 - BITS));
  return placed(near, step < 0 ? 0 : rounded, upper);
}

__device__ u32 fold_of(const i64* group, i64 row) {
  if (FOLDS == 1) return 0;
  const i64 P = 2147483647;
  i64 x = (group[row] % P + P) % P;
  x = (x * 1103515245 + 12345) % P;
  x = (x * x) % P;
  x = (x * 1664525 + 1013904223) % P;
  return (u32)(x >> 19) / (4096 / FOLDS);
}

__device__ u32 slot_of(u32 fold, Place p, bool yes) { return 2 * (fold * CELLS + p.cell) + yes; }

// What the threads of a warp add to one slot, together: many predictions are exactly 0 or 1, and
// additions to one address wait for each other.
struct Gathered {
  bool leads;  // whether this thread adds for all
  u32 count;
  u32 inside;
};

__device__ Gathered gather(u32 slot, u32 inside) {
#if __CUDA_ARCH__ < 800  // which cannot add up within a warp so simply
  return {true, 1, inside};
#else
  u32 peers = __match_any_sync(__activemask(), slot);
  u32 sum = peers & (peers - 1) ? __reduce_add_sync(peers, inside) : inside;
  return {(threadIdx.x & 31) == __ffs(peers) - 1, (u32)__popc(peers), sum};
#endif
}

// Where a block adds pairs. Atomic additions bound the speed, so if there are packed words, one
// addition has the count in its low bits and the places above them. There are several copies of
// all words, so that fewer blocks add to one address.
struct Sums {
  u64* counts;
  u64* places;
  u64* packed;

  __device__ Sums(u64* counts, u64* places, u64* words, int copies)
      : counts(counts), places(places) {
    packed = words ? words + (u64)(blockIdx.x % copies) * (SLOTS + ASIDES) : words;
  }

  __device__ void add(u32 slot, u32 inside) {
    Gathered same = gather(slot, inside);
    if (!same.leads) return;
    if (packed)
      atomicAdd(packed + slot, same.count + ((u64)(same.inside >> BITS) << PACK));
    else
      add_many(slot, same.count, same.inside);
  }

  __device__ void add_many(u32 slot, u64 count, u64 inside) {
    atomicAdd(counts + slot, count);
    if (inside) atomicAdd(places + slot, inside);
  }
};

#ifdef REAL

extern "C" __global__ void add_pairs(const REAL* q, const OBSERVED* y, const i64* group, int n,
                                     u64* counts, u64* places, u64* packed, int copies,
                                     double* examples) {
  Sums sums(counts, places, packed, copies);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    REAL value = q[i];
    OBSERVED happened = y[i];
    bool upper = value > (REAL)0.5;
    Place p = place(upper ? 1 - value : value, upper);
    u32 slot = slot_of(fold_of(group, i), p, happened == 1);
    if (!(value >= 0 && value <= 1)) {
      slot = SLOTS + ASIDE_Q;
      p.inside = 0;
      examples[ASIDE_Q] = value;
    } else if (happened != 0 && happened != 1) {
      slot = SLOTS + ASIDE_Y;
      p.inside = 0;
      examples[ASIDE_Y] = (double)happened;
    }
    sums.add(slot, p.inside);
  }
}

#else

#if defined(BFLOAT16)
typedef unsigned short Logit;
const int MANTISSA = 7, OCTAVES = 16, FIRST = (127 - 8) << 7;  // |x| from 2^-8 up to 2^8
__device__ float value_of(Logit x) { return __uint_as_float((u32)x << 16); }
__device__ u32 bits_of(Logit x) { return x; }
__device__ Logit logit_of(u32 bits) { return bits; }
#elif defined(FLOAT16)
typedef unsigned short Logit;
const int MANTISSA = 10, OCTAVES = 5, FIRST = (15 - 1) << 10;  // |x| from 2^-1 up to 2^4
__device__ float value_of(Logit x) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(x));
  return value;
}
__device__ u32 bits_of(Logit x) { return x; }
__device__ Logit logit_of(u32 bits) { return bits; }
#else
typedef float Logit;
const int MANTISSA = 0, OCTAVES = 0, FIRST = 0;
__device__ float value_of(Logit x) { return x; }
__device__ u32 bits_of(Logit x) { return 0; }
__device__ Logit logit_of(u32 bits) { return 0; }
#endif

#define INF __int_as_float(0x7f800000)
const float UNDERFLOW = -104;  // the exponential of less is 0
const int SIGN = OCTAVES << MANTISSA;  // counters of one sign
const int VANISHED = 2 * SIGN, ZERO = VANISHED + 1, COUNTERS = ZERO + 1;

// Calls f(column, logit) for all of a row, 16 bytes at a time.
template <class F> __device__ void for_each(const Logit* row, int size, F f) {
  const int wide = 16 / sizeof(Logit);
  int head = min(size, (int)((16 - ((u64)row & 15)) & 15) / (int)sizeof(Logit));
  int vectors = (size - head) / wide;
  int tail = head + vectors * wide + threadIdx.x;
  if ((int)threadIdx.x < head) f(threadIdx.x, row[threadIdx.x]);
  const uint4* aligned = (const uint4*)(row + head);
  for (int i = threadIdx.x; i < vectors; i += blockDim.x) {
    uint4 loaded = aligned[i];
    const Logit* part = (const Logit*)&loaded;
#pragma unroll
    for (int j = 0; j < wide; j++) f(head + i * wide + j, part[j]);
  }
  if (tail < size) f(tail, row[tail]);
}

// The largest logit, where it is first, and the sum of exp(x - value) over all the others.
// Leaving the largest out keeps the digits of 1 - q. Before the first logit the sum is -1.
struct Peak {
  float value;
  float others;
  int where;
};

__device__ Peak joined(Peak a, Peak b) {
  bool swap = b.value > a.value || (b.value == a.value && b.where < a.where);
  Peak high = swap ? b : a, low = swap ? a : b;
  high.others += (low.others + 1) * (low.value == -INF ? 0 : expf(low.value - high.value));
  return high;
}

__device__ Peak shuffled(Peak p, int lanes) {
  return {__shfl_down_sync(~0u, p.value, lanes), __shfl_down_sync(~0u, p.others, lanes),
          __shfl_down_sync(~0u, p.where, lanes)};
}

__device__ Peak peak_of(const Logit* row, int size) {
  Peak p = {-INF, -1, 0x7fffffff};
  for_each(row, size, [&](int column, Logit logit) {
    float x = value_of(logit);
    if (x > p.value)
      p = {x, (p.others + 1) * expf(p.value - x), column};
    else if (x != -INF)
      p.others += expf(x - p.value);
  });
  __shared__ Peak warps[32];
  for (int lanes = 16; lanes; lanes /= 2) p = joined(p, shuffled(p, lanes));
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = p;
  __syncthreads();
  p = warps[0];
  for (int i = 1; i < (int)blockDim.x / 32; i++) p = joined(p, warps[i]);
  return p;
}

__device__ Place place_logit(float x, Peak p) {
  float total = 1 + p.others;
  bool upper = x == p.value && p.others < 1;  // a single label has more than 1/2
  return place(upper ? p.others / total : expf(x - p.value) / total, upper);
}

// Adds a row of logits per block: its top label, or every label. Logits of 16 bits have few
// different values, so those of ordinary size are counted in shared memory first.
extern "C" __global__ void __launch_bounds__(1024)
    add_rows(const Logit* logits, int stride, int size, const i64* labels, const i64* group,
             u64* counts, u64* places, u64* packed, int copies, double* examples) {
  Sums sums(counts, places, packed, copies);
  const Logit* row = logits + (i64)blockIdx.x * stride;
  i64 label = labels[blockIdx.x];
  bool known = label >= 0 && label < size;
  if (!known) {
    if (threadIdx.x == 0) {
      bool skip = label == IGNORED;
      atomicAdd(counts + SLOTS + (skip ? ASIDE_SKIPPED : ASIDE_LABEL), 1ull);
      if (!skip) examples[ASIDE_LABEL] = (double)label;
    }
    return;
  }
  Peak peak = peak_of(row, size);
  if (!(fabsf(peak.value) < INF && fabsf(peak.others) < INF)) {
    if (threadIdx.x == 0) atomicAdd(counts + SLOTS + ASIDE_ROW, 1ull);
    return;
  }
  u32 fold = fold_of(group, blockIdx.x);
#ifndef EVERY
  if (threadIdx.x == 0) {
    Place p = place_logit(peak.value, peak);
    sums.add_many(slot_of(fold, p, peak.where == label), 1, p.inside);
  }
#else
  auto add_many = [&](float x, u64 count, bool yes) {
    Place p = place_logit(x, peak);
    sums.add_many(slot_of(fold, p, yes), count, count * p.inside);
  };
  __shared__ u32 counters[COUNTERS];
  for (int i = threadIdx.x; i < COUNTERS; i += blockDim.x) counters[i] = 0;
  __syncthreads();
  for_each(row, size, [&](int column, Logit logit) {
    u32 bits = bits_of(logit);
    int offset = (int)(bits & 0x7fff) - FIRST;
    float x = value_of(logit);
    if (offset >= 0 && offset < SIGN)
      atomicAdd(counters + offset + (bits >> 15) * SIGN, 1u);
    else if (x - peak.value < UNDERFLOW)
      atomicAdd(counters + VANISHED, 1u);
    else if (x == 0)
      atomicAdd(counters + ZERO, 1u);
    else {
      Place p = place_logit(x, peak);
      sums.add(slot_of(fold, p, false), p.inside);
    }
  });
  __syncthreads();
  for (int i = threadIdx.x; i < COUNTERS; i += blockDim.x) {
    if (!counters[i]) continue;
    u32 bits = i < SIGN ? i + FIRST : (i - SIGN + FIRST) | 0x8000;
    float x = i == VANISHED ? -INF : i == ZERO ? 0 : value_of(logit_of(bits));
    add_many(x, counters[i], false);
  }
  if (threadIdx.x == 0) {  // the true label was counted as if it were wrong
    float x = value_of(row[label]);
    add_many(x, ~0ull, false);
    add_many(x, 1, true);
  }
#endif
}

#endif
