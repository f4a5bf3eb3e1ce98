// Whether a directory is read into memory when it is opened. A pile that is not warm answers the same, its first reads take longer:
// each waits for the device where the operating system does not have the page.
namespace Pile;

/// <summary>When the files of a pile are read ahead of need.</summary>
public enum PileWarmUp
{
    /// <summary>Not: each page is read when it is first needed.</summary>
    None = 0,

    /// <summary>By a thread of the pile's own, beside its users: first the table, then the segments, the newest first.</summary>
    Background = 1,

    /// <summary>Before the open returns.</summary>
    Blocking = 2,
}
