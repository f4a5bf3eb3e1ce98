using System;

namespace Pile.ServerBench.Load;

/// <summary>The reply to a Get: whether it is there, and whether it says that there is an entry.</summary>
internal struct OneReply : IFrameSink
{
    internal bool IsHit { get; private set; }

    internal bool IsEnded { get; private set; }

    public void Data(int stream, ReadOnlySpan<byte> bytes) => IsHit |= bytes.Length > Messages.HeadBytes + 1 && bytes[Messages.HeadBytes] == 0x08 && bytes[Messages.HeadBytes + 1] == 1;

    public void Ended(int stream) => IsEnded = true;
}
