// Sizes that a request may have, checked before anything is done. What lies beyond is refused with the size, the limit and the way out.
// Limits of messages as a whole are gRPC's own.
using Grpc.Core;

namespace Pile.Server.Calls;

/// <summary>Checks of keys, prefixes of keys, and values.</summary>
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
