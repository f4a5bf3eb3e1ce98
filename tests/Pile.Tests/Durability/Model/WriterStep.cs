namespace Pile.Tests.Durability.Model;

/// <summary>How far a writer's call is.</summary>
internal enum WriterStep
{
    Idle,
    Claimed,
    PayloadStored,
    HeaderStored,

    /// <summary>The first of two entries is swung.</summary>
    HalfSwung,
    Swung,

    /// <summary>A broken rule: the entries are swung and the header is still missing.</summary>
    SwungTooEarly,
}
