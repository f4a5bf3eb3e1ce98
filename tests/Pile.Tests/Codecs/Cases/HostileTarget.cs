using System;
using System.Collections.Generic;
using Pile.Codecs;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>A reader of damaged bytes that notes everything that must not be.</summary>
internal sealed class HostileTarget(PlanMode mode)
{
    private const int FindingsMax = 20;
    private readonly GraphStore _store = new(null, mode);
    private readonly List<string> _findings = [];
    private int _reads;
    private int _values;

    /// <summary>The bytes of a value, which was read once: what is loaded at the first use is no part of what damage costs.</summary>
    internal byte[] Take(string name)
    {
        byte[] bytes = _store.Write(Corpus.Make(name));
        _ = _store.Read<object>(bytes);
        return bytes;
    }

    /// <summary>Reads damaged bytes as an object and as a description.</summary>
    internal Exception? Read(byte[] damaged)
    {
        Exception? failure = Attempt(damaged, out long asked, out object? value);
        long allowed = (damaged.Length * 64L) + (64 << 10);
        if (asked > allowed)
        {
            // Once more: code that was run for the first time may have loaded something.
            _ = Attempt(damaged, out asked, out value);
        }

        _values += failure is null ? 1 : 0;
        Note(asked > allowed, $"asked for {asked:N0} bytes", damaged);
        Note(failure is not (null or PileException), $"{failure}", damaged);
        if (++_reads % 16 == 0)
        {
            Exception? described = Record.Exception(() => DescriptionReader.Read(_store.Table, damaged));
            Note(described is not (null or PileException), $"Describe: {described}", damaged);
        }

        if (value is not null && _reads % 16 == 0)
        {
            // What came back is a whole graph: it can be put again.
            Exception? again = Record.Exception(() => _store.Write(value));
            Note(again is not (null or PileException), $"Put of what was read: {again}", damaged);
        }

        return failure;
    }

    internal void AssertGood()
    {
        Assert.True(_findings.Count == 0, string.Join(Environment.NewLine, _findings));
        Assert.True(_values < _reads, "no damage was noticed");
    }

    private Exception? Attempt(byte[] damaged, out long asked, out object? value)
    {
        value = null;
        long before = GC.GetAllocatedBytesForCurrentThread();
        try
        {
            value = _store.Read<object>(damaged);
            return null;
        }
        catch (Exception thrown)
        {
            return thrown;
        }
        finally
        {
            asked = GC.GetAllocatedBytesForCurrentThread() - before;
        }
    }

    private void Note(bool isWrong, string what, byte[] damaged)
    {
        if (isWrong && _findings.Count < FindingsMax)
        {
            _findings.Add($"{what} for {damaged.Length} bytes {Convert.ToHexString(damaged.AsSpan(0, int.Min(damaged.Length, 600)))}");
        }
    }
}
