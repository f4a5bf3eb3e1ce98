// What the log of a pile is, beyond its segments: whose files it stands in, and which flushes its reuse waits for.
// A memory pile has an identity of zero and waits for nothing.
namespace Pile.Segments;

/// <summary>Identity and flushes of one pile's log.</summary>
/// <param name="Identity">Random identity of the pile's files, the salt of every check; 0 in memory.</param>
/// <param name="Flushes">The pile's flushes.</param>
internal sealed record LogContext(ulong Identity, FlushClock Flushes)
{
    /// <summary>Whether the log stands in files.</summary>
    internal bool IsDurable => Identity != 0;

    /// <summary>The log of a memory pile.</summary>
    internal static LogContext Memory => new(0, new FlushClock(isWaitedFor: false));
}
