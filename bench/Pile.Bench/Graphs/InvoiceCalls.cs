namespace Pile.Bench.Graphs;

/// <summary>Calls for <see cref="Invoice"/>.</summary>
internal readonly struct InvoiceCalls : ICodecCalls<Invoice>
{
    public static int Write(BareCodec codec, Invoice value) => codec.Write(value);

    public static byte[] ToArray(BareCodec codec, Invoice value) => codec.ToArray(value);

    public static Invoice Read(BareCodec codec, byte[] payload) => codec.Read<Invoice>(payload);
}
