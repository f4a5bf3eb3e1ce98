// What opening a directory may do to it. Whether it is allowed to store is part of this, the promise of durability is not.
// No mode empties a directory that holds anything.
namespace Pile;

/// <summary>How a directory is opened as a pile.</summary>
public enum PileOpenMode
{
    /// <summary>Opens the pile of the directory; creates one where the directory is empty or missing.</summary>
    OpenOrCreate = 0,

    /// <summary>Opens the pile of the directory; fails where there is none.</summary>
    OpenExisting = 1,

    /// <summary>Creates a pile; fails where the directory holds one, or anything else.</summary>
    CreateNew = 2,

    /// <summary>Opens the pile of the directory and changes nothing in it. Several readers may have it open at once, but no writer.</summary>
    ReadOnly = 3,
}
