// Kinds of failed file calls: those that a caller treats apart, and one for all others.
// The message of the exception that carries it has the operating system's own words.
namespace Pile.Memory;

/// <summary>Why a file call failed.</summary>
internal enum FileFailure
{
    /// <summary>An input or output error, or anything else that is not named here.</summary>
    Other,

    /// <summary>The file or a directory of its path does not exist.</summary>
    Missing,

    /// <summary>The file exists, and was to be new.</summary>
    Exists,

    /// <summary>Permissions.</summary>
    Denied,

    /// <summary>The file system takes no writes: it is mounted read-only, or an error of its device made it so.</summary>
    TakesNoWrites,

    /// <summary>A part of the path that must be a directory is none, or one where a file must be.</summary>
    WrongKind,

    /// <summary>The device or the quota is full.</summary>
    NoSpace,

    /// <summary>The process, or the system, has as many files open as it may.</summary>
    NoHandle,

    /// <summary>The file would be longer than the process may make one.</summary>
    TooLong,
}
