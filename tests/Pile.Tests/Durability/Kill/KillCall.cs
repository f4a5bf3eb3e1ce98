namespace Pile.Tests.Durability.Kill;

/// <summary>A call that changes one object.</summary>
internal enum KillCall : byte
{
    None,
    Put,
    Update,
    Exchange,
    Delete,
}
