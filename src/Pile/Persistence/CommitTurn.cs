// What a thread that waits for a flush is told to do next.
// Who tells it, and when, is the flusher's to know.
namespace Pile.Persistence;

/// <summary>A waiting thread's turn.</summary>
internal enum CommitTurn
{
    /// <summary>To wait on.</summary>
    None = 0,

    /// <summary>To return: its flush has ended, well or not.</summary>
    Return,

    /// <summary>To run the flush for all who wait.</summary>
    Lead,

    /// <summary>To run it when the others, who are expected, do not come in time.</summary>
    Watch,
}
