// Numbers and the like, by the stored name of their type: their bytes as tables have them, from and to text. A closed list: no type is
// loaded because a file names it, and what is not in it is bytes.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Numerics;
using System.Runtime.InteropServices;

namespace Pile.Tool.Entries;

/// <summary>Single values.</summary>
internal static class Scalars
{
    private static readonly Dictionary<string, Scalar> _all = new(StringComparer.Ordinal)
    {
        ["System.Boolean"] = new(static text => bool.TryParse(text, out bool value) ? [value ? (byte)1 : (byte)0] : null, static bytes => bytes is [0] ? "false" : bytes is [1] ? "true" : null),
        ["System.Byte"] = Number<byte>(),
        ["System.SByte"] = Number<sbyte>(),
        ["System.Int16"] = Number<short>(),
        ["System.UInt16"] = Number<ushort>(),
        ["System.Int32"] = Number<int>(),
        ["System.UInt32"] = Number<uint>(),
        ["System.Int64"] = Number<long>(),
        ["System.UInt64"] = Number<ulong>(),
        ["System.Single"] = Number<float>(),
        ["System.Double"] = Number<double>(),
        ["System.Guid"] = new(static text => Guid.TryParse(text, out Guid value) ? value.ToByteArray() : null, static bytes => bytes.Length == 16 ? $"\"{new Guid(bytes)}\"" : null),
    };

    /// <summary>Whether values of a type are known.</summary>
    internal static bool Knows(string type) => _all.ContainsKey(type);

    /// <summary>The bytes of a value; null where the text is none of that type.</summary>
    internal static byte[]? Parse(string type, string text) => _all[type].Parse(text);

    /// <summary>A value as JSON; null where the bytes are none.</summary>
    internal static string? Json(string type, ReadOnlySpan<byte> bytes) => _all.TryGetValue(type, out Scalar? scalar) ? scalar.Json(bytes.ToArray()) : null;

    private static Scalar Number<T>()
        where T : unmanaged, INumber<T> => new(
        static text => T.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out T value) ? MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in value)).ToArray() : null,
        static bytes => MemoryMarshal.TryRead(bytes, out T value) && T.IsFinite(value) ? value.ToString(null, CultureInfo.InvariantCulture) : null);

    private sealed record Scalar(Func<string, byte[]?> Parse, Func<byte[], string?> Json);
}
