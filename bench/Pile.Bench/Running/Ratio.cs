namespace Pile.Bench.Running;

/// <summary>Which of two figures is divided by which.</summary>
internal enum Ratio
{
    /// <summary>Ours over theirs.</summary>
    OursOverTheirs,

    /// <summary>Theirs over ours.</summary>
    TheirsOverOurs,
}
