import triton
import triton.language as tl


@triton.jit
def softmax_kernel(out, x, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    values = tl.load(x + row * stride + offsets, mask=mask, other=-float("inf"))
    values = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * stride + offsets, values / tl.sum(values, axis=0), mask=mask)
