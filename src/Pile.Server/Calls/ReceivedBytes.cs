// The bytes of a field of a message that was parsed. The parser made an array for each, which the message keeps: nobody needs another one.
// Fields of messages that were put together otherwise are copied.
using System;
using System.Runtime.InteropServices;
using Google.Protobuf;

namespace Pile.Server.Calls;

/// <summary>Fields as arrays.</summary>
internal static class ReceivedBytes
{
    /// <summary>The bytes, not to be written to.</summary>
    internal static byte[] Of(ByteString field) =>
        MemoryMarshal.TryGetArray(field.Memory, out ArraySegment<byte> held) && held.Array is { } array && held.Count == array.Length ? array : field.ToByteArray();
}
