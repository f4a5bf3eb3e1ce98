using BenchmarkDotNet.Attributes;

namespace Pile.Bench.Micro;

/// <summary>Text, one byte a char (narrow) and two (wide). Reading makes a string, which is what it allocates.</summary>
public class StringMicro
{
    private const int Objects = 4096;
    private readonly PilePointer[] _pointers = new PilePointer[Objects];
    private string _text = "";
    private ObjectPile _pile = null!;
    private int _next;

    [Params(8, 32, 256)]
    public int Chars { get; set; }

    [Params(false, true)]
    public bool Wide { get; set; }

    [GlobalSetup]
    public void Fill()
    {
        _pile = ObjectPile.Create();
        _text = new string(Wide ? '\u0416' : 'x', Chars);
        for (int index = 0; index < Objects; index++)
        {
            _pointers[index] = _pile.PutString(_text);
        }
    }

    [GlobalCleanup]
    public void End() => _pile.Dispose();

    [Benchmark]
    public PilePointer DeleteThenPutString()
    {
        ref PilePointer pointer = ref _pointers[Next()];
        _pile.Delete(pointer);
        return pointer = _pile.PutString(_text);
    }

    [Benchmark]
    public void UpdateString() => _pile.UpdateString(_pointers[Next()], _text);

    [Benchmark]
    public string GetString() => _pile.Get<string>(_pointers[Next()]);

    private int Next() => _next = (_next + 1) & (Objects - 1);
}
