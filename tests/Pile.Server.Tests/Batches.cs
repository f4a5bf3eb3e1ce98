using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Google.Protobuf;

namespace Pile.Server.Tests;

/// <summary>Batches as a client makes them.</summary>
internal static class Batches
{
    internal static ByteString Bytes(string text) => ByteString.CopyFromUtf8(text);

    internal static V1.GetBatch Get(ulong id, params string[] keys) => new() { Id = id, KeyLengths = { Lengths(keys) }, Keys = Joined(keys) };

    internal static V1.RemoveBatch Remove(ulong id, params string[] keys) => new() { Id = id, KeyLengths = { Lengths(keys) }, Keys = Joined(keys) };

    internal static V1.SetBatch Set(ulong id, params (string Key, string Value)[] items)
    {
        string[] keys = [.. items.Select(static item => item.Key)];
        string[] values = [.. items.Select(static item => item.Value)];
        return new V1.SetBatch { Id = id, KeyLengths = { Lengths(keys) }, Keys = Joined(keys), ValueLengths = { Lengths(values) }, Values = Joined(values) };
    }

    /// <summary>The values of a reply; null where there is none.</summary>
    internal static string?[] Values(V1.ValueBatch reply)
    {
        var values = new List<string?>();
        int at = 0;
        foreach (uint length in reply.ValueLengths)
        {
            values.Add(length == 0 ? null : Encoding.UTF8.GetString(reply.Values.Span.Slice(at, (int)length - 1)));
            at += (int)uint.Max(length, 1) - 1;
        }

        return at == reply.Values.Length ? [.. values] : throw new InvalidOperationException($"{reply.Values.Length - at} bytes are nobody's.");
    }

    private static IEnumerable<uint> Lengths(string[] texts) => texts.Select(static text => (uint)Encoding.UTF8.GetByteCount(text));

    private static ByteString Joined(string[] texts) => ByteString.CopyFromUtf8(string.Concat(texts));
}
