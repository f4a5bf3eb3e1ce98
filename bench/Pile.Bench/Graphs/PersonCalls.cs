namespace Pile.Bench.Graphs;

/// <summary>Calls for <see cref="Person"/>.</summary>
internal readonly struct PersonCalls : ICodecCalls<Person>
{
    public static int Write(BareCodec codec, Person value) => codec.Write(value);

    public static byte[] ToArray(BareCodec codec, Person value) => codec.ToArray(value);

    public static Person Read(BareCodec codec, byte[] payload) => codec.Read<Person>(payload);
}
