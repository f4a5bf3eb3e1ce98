// What every failed file call throws: an IOException that also says which kind of failure it is.
// PileDirectory turns the kinds that a caller of the pile can mend into their own public exceptions.
using System.IO;

namespace Pile.Memory;

/// <summary>A failed file call; the message names call, path and the operating system's reason.</summary>
internal sealed class FileCallException : IOException
{
    /// <summary>The name of what the system does by itself with what was stored.</summary>
    internal const string Writeback = "writeback";

    internal FileCallException(string call, string path, string reason, FileFailure failure)
        : base($"{call} of '{path}' failed: {reason}.")
    {
        Path = path;
        Failure = failure;
        IsSync = call is "fdatasync" or "fsync" or Writeback;
    }

    /// <summary>The file or directory.</summary>
    internal string Path { get; }

    /// <summary>The kind of failure.</summary>
    internal FileFailure Failure { get; }

    /// <summary>Whether a sync failed, or what the system does by itself: then nothing is known about what was stored before it. Other calls fail alone.</summary>
    internal bool IsSync { get; }
}
