// A failure that a verb finds itself, with the exit code that it ends the command with. What the library throws is translated in
// Failures instead.
using System;

namespace Pile.Tool.Running;

/// <summary>A failure with an exit code.</summary>
/// <param name="code">How the command ends.</param>
/// <param name="message">The value, the limit, the way out.</param>
internal sealed class ToolException(ExitCode code, string message) : Exception(message)
{
    /// <summary>How the command ends.</summary>
    internal ExitCode Code { get; } = code;

    /// <summary>The process that is in the way; 0 when none is.</summary>
    internal int ProcessId { get; init; }
}
