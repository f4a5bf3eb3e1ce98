using BenchmarkDotNet.Attributes;

namespace Pile.Bench.Micro;

/// <summary>Single calls on a small pile that stays in the processor's caches.</summary>
public class BytesMicro
{
    private const int Objects = 4096;
    private readonly byte[] _target = new byte[512];
    private readonly PilePointer[] _pointers = new PilePointer[Objects];
    private byte[] _payload = [];
    private ObjectPile _pile = null!;
    private int _next;

    [Params(32, 100, 512)]
    public int PayloadBytes { get; set; }

    [GlobalSetup]
    public void Fill()
    {
        _pile = ObjectPile.Create();
        _payload = new byte[PayloadBytes];
        for (int index = 0; index < Objects; index++)
        {
            _pointers[index] = _pile.PutBytes(_payload);
        }
    }

    [GlobalCleanup]
    public void End() => _pile.Dispose();

    [Benchmark]
    public PilePointer DeleteThenPut()
    {
        ref PilePointer pointer = ref _pointers[Next()];
        _pile.Delete(pointer);
        return pointer = _pile.PutBytes(_payload);
    }

    [Benchmark]
    public int Lease()
    {
        using PileLease lease = _pile.Lease(_pointers[Next()]);
        return lease.Bytes[0];
    }

    [Benchmark]
    public int Copy()
    {
        _pile.TryCopyTo(_pointers[Next()], _target, out int bytes);
        return bytes;
    }

    [Benchmark]
    public void Update() => _pile.UpdateBytes(_pointers[Next()], _payload);

    private int Next() => _next = (_next + 1) & (Objects - 1);
}
