// The writer that a thread uses for contracts, again and again.
// Taken for the time of a call: a getter that itself writes a contract gets another.
using System;

namespace Pile.Codecs;

/// <summary>Writers of contracts, one a thread.</summary>
internal static class ContractWriters
{
    [ThreadStatic]
    private static WireWriter? _mine;

    internal static WireWriter Take()
    {
        WireWriter writer = _mine ?? new WireWriter();
        _mine = null;
        return writer;
    }

    internal static void Return(WireWriter writer)
    {
        writer.Reset(CodecLimits.StagingBytesKept);
        _mine = writer;
    }
}
