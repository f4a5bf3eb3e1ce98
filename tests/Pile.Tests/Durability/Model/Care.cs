namespace Pile.Tests.Durability.Model;

/// <summary>Work on the whole pile, one at a time.</summary>
internal enum Care
{
    None,
    Clear,
    Close,
    Checkpoint,
}
