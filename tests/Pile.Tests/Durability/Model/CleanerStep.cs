namespace Pile.Tests.Durability.Model;

/// <summary>How far the cleaner is with a record of its victim.</summary>
internal enum CleanerStep
{
    Idle,
    Looking,

    /// <summary>The copy stands in the cleaner's own segment; the entry is not swung.</summary>
    Copied,
}
