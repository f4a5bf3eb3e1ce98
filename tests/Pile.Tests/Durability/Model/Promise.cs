namespace Pile.Tests.Durability.Model;

/// <summary>What section 6 of the design promises; each can be broken.</summary>
internal enum Promise
{
    /// <summary>What was acknowledged as durable is there.</summary>
    NothingLost,

    /// <summary>What was deleted, cleared or overwritten for good does not come back, and nothing else appears.</summary>
    NothingRisen,

    /// <summary>A payload is read as it was written.</summary>
    NothingGarbled,

    /// <summary>A pointer that was handed out is never handed out for another object.</summary>
    PointersUnique,

    /// <summary>A batch or a Clear survives whole or not at all.</summary>
    WholeOrNothing,

    /// <summary>Without damage no damage is reported.</summary>
    NoFalseAlarm,

    /// <summary>The table shows what the log says, and refers to no segment that may be overwritten.</summary>
    TableTrue,
}
