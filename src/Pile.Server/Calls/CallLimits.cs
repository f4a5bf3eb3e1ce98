// Sizes that a request may have, checked before anything is done. What lies beyond is refused with the size, the limit and the way out.
// Limits of messages as a whole are gRPC's own.
using System.Text;
using Grpc.Core;

namespace Pile.Server.Calls;

/// <summary>Checks of keys, prefixes of keys, tags, and values.</summary>
internal static class CallLimits
{
    internal static void Key(long bytes, PileServerOptions options)
    {
        if (bytes == 0)
        {
            throw CallFailure.Refused("A key has no bytes: it must have 1 at least.");
        }

        if (bytes > options.KeyBytesMax)
        {
            throw CallFailure.TooLarge($"A key has {bytes:N0} bytes; at most {options.KeyBytesMax:N0} are allowed (KeyBytesMax). Use a hash of it as the key.");
        }
    }

    internal static void Prefix(long bytes, PileServerOptions options)
    {
        if (bytes > options.KeyBytesMax)
        {
            throw CallFailure.TooLarge($"A prefix has {bytes:N0} bytes; at most {options.KeyBytesMax:N0} are allowed (KeyBytesMax). No key is longer: use a shorter one.");
        }
    }

    internal static void Tag(string tag)
    {
        int bytes = Encoding.UTF8.GetByteCount(tag);
        if (bytes > ServerLimits.TagBytesMax)
        {
            throw CallFailure.TooLarge($"A tag has {bytes:N0} bytes; at most {ServerLimits.TagBytesMax:N0} are allowed (TagBytesMax). Use a hash of it as the tag.");
        }
    }

    internal static void Value(long bytes, PileServerOptions options)
    {
        if (bytes > options.ValueBytesMax)
        {
            throw CallFailure.TooLarge($"A value has {bytes:N0} bytes; at most {options.ValueBytesMax:N0} are allowed (ValueBytesMax). Raise it, or store the value in parts.");
        }
    }

    /// <summary>A value that a reply can't take.</summary>
    internal static RpcException TooLong(long bytes, PileServerOptions options) =>
        CallFailure.TooLarge($"The value has {bytes:N0} bytes; a reply takes at most {options.MessageBytesMax:N0} (MessageBytesMax). Read it by GetLarge.");
}
