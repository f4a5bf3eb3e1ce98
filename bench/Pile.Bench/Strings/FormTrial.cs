using System;
using System.Runtime.CompilerServices;
using Pile.Bench.Running;

namespace Pile.Bench.Strings;

/// <summary>One form over one sample: the texts are written to places of a buffer and read back from there.</summary>
internal sealed class FormTrial<TForm>(TForm form, TextSample sample) : IFormTrial
    where TForm : struct, ITextForm
{
    private const int BytesPerCharMax = 3;
    private readonly int _stride = sample.Chars * BytesPerCharMax;
    private readonly byte[] _buffer = new byte[sample.Texts.Length * sample.Chars * BytesPerCharMax];
    private readonly int[] _lengths = new int[sample.Texts.Length];
    private readonly bool[] _narrow = new bool[sample.Texts.Length];

    public string Name => form.Name;

    public double BytesPerText { get; private set; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public long Write(int first, int count)
    {
        for (int index = 0; index < count; index++)
        {
            int text = index % sample.Texts.Length;
            _lengths[text] = form.Write(sample.Texts[text], _buffer.AsSpan(text * _stride, _stride));
        }

        return count;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public long Read(int first, int count)
    {
        long chars = 0;
        for (int index = 0; index < count; index++)
        {
            int text = index % sample.Texts.Length;
            chars += form.Read(_buffer.AsSpan(text * _stride, _lengths[text]), _narrow[text]).Length;
        }

        return chars;
    }

    public void Prepare()
    {
        Write(0, sample.Texts.Length);
        long bytes = 0;
        for (int text = 0; text < _lengths.Length; text++)
        {
            bytes += _lengths[text];
            _narrow[text] = Codecs.Text.IsNarrow(sample.Texts[text]);
            string back = form.Read(_buffer.AsSpan(text * _stride, _lengths[text]), _narrow[text]);
            if (back != sample.Texts[text])
            {
                throw new InvalidOperationException($"{Name} gave back another text.");
            }
        }

        BytesPerText = bytes / (double)_lengths.Length;
        Passes.Warm(Passes.ChunkOperations, Write, Read);
    }
}
