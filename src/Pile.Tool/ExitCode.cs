// How the command ends: the contract with scripts. Numbers never change meaning; docs/TOOL.md has them as a table.
// From 129 on they are 128 and the number of the signal, as of any program of Unix.
namespace Pile.Tool;

/// <summary>Exit codes.</summary>
internal enum ExitCode
{
    /// <summary>Done, and nothing is wrong.</summary>
    Ok = 0,

    /// <summary>The pile is damaged, or something of it was lost. What could be done was done.</summary>
    Damaged = 1,

    /// <summary>The command line is wrong.</summary>
    Usage = 2,

    /// <summary>The directory is missing, holds no pile or no cache, or one that this version can't read.</summary>
    NoPile = 3,

    /// <summary>Another process has the pile open.</summary>
    InUse = 4,

    /// <summary>A file call failed: rights, a full device, a target that is there already.</summary>
    Failed = 5,

    /// <summary>There is no such object, root, table or key.</summary>
    NotFound = 6,

    /// <summary><c>doctor</c> found what must be changed.</summary>
    Unfit = 7,

    /// <summary>No server answers at the address, or it stopped to.</summary>
    Unreachable = 8,

    /// <summary>The server refused who asks: no token or certificate, or none that may do this.</summary>
    Denied = 9,

    /// <summary>The condition of a change did not hold: nothing was changed.</summary>
    Refused = 10,

    /// <summary>A defect of this program.</summary>
    Defect = 70,

    /// <summary>Ended by SIGHUP.</summary>
    HungUp = 129,

    /// <summary>Ended by Ctrl+C (SIGINT).</summary>
    Cancelled = 130,

    /// <summary>Nobody reads the output any more (as by SIGPIPE).</summary>
    OutputClosed = 141,

    /// <summary>Ended by SIGTERM.</summary>
    Terminated = 143,
}
