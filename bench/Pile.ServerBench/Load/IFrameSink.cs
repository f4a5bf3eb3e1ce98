using System;

namespace Pile.ServerBench.Load;

/// <summary>Takes what a connection receives.</summary>
internal interface IFrameSink
{
    void Data(int stream, ReadOnlySpan<byte> bytes);

    void Ended(int stream);
}
