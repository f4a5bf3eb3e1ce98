// Limits of this project, each with its reason.
// docs/LIMITS.md lists them.
using System;

namespace Pile.Client;

/// <summary>Named limits.</summary>
internal static class ClientLimits
{
    /// <summary>The trailer in which the server says more of an error.</summary>
    internal const string DetailTrailer = "pile-error-bin";

    /// <summary>Bytes of a chunk of a large value: what the protocol allows.</summary>
    internal const int ChunkBytes = 262_144;

    /// <summary>Values beyond travel in chunks: a quarter of what the server takes as one message unless set otherwise, so that no other call waits
    /// long behind one.</summary>
    internal const int WholeValueBytesMax = 4 << 20;

    /// <summary>The longest value that an array can hold together with what stands around it.</summary>
    internal const long ValueBytesMax = 268_435_455;

    /// <summary>Bytes that the server may send on a stream before it is told that they were read.</summary>
    internal const int WindowBytes = 4 << 20;

    /// <summary>Items of one message of a call of many: what the server takes unless set otherwise.</summary>
    internal const int ManyItemsMax = 4096;

    /// <summary>Bytes of keys and values of one message of a call of many; replies may be longer.</summary>
    internal const int ManyBytesMax = 1 << 20;

    /// <summary>Tries beyond which nothing is won by one more.</summary>
    internal const int RetriesMost = 10;

    /// <summary>Connections of one client: beyond, a second client says better what is meant.</summary>
    internal const int ConnectionsMost = 64;

    /// <summary>The first wait before a call is tried again; each further one is twice as long.</summary>
    internal static readonly TimeSpan RetryWait = TimeSpan.FromMilliseconds(50);

    /// <summary>The longest wait before a call is tried again.</summary>
    internal static readonly TimeSpan RetryWaitMax = TimeSpan.FromSeconds(2);

    /// <summary>Tries that may be made again at once, before calls that succeed allow more.</summary>
    internal const int RetryBudget = 100;

    /// <summary>Calls that must succeed for one more that may be tried again: a server in need gets at most a tenth more to do.</summary>
    internal const int SuccessesPerRetry = 10;
}
