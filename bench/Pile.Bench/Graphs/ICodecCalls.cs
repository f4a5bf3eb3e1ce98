namespace Pile.Bench.Graphs;

/// <summary>The bare codec's calls for one class.</summary>
internal interface ICodecCalls<T>
{
    /// <summary>Writes; bytes written.</summary>
    static abstract int Write(BareCodec codec, T value);

    /// <summary>Writes into an array of its own.</summary>
    static abstract byte[] ToArray(BareCodec codec, T value);

    /// <summary>Reads.</summary>
    static abstract T Read(BareCodec codec, byte[] payload);
}
