// Bytes that were taken from a budget for an allocation, until it is there: without a call of Keep they are given back, be it that there is
// no space or that something throws. Takes nothing itself (MemoryBudget.TryTake).
namespace Pile.Memory;

/// <summary>Bytes taken for what is not there yet. Of one thread.</summary>
/// <param name="budget">Whose they are.</param>
/// <param name="bytes">How many.</param>
internal ref struct BudgetTake(MemoryBudget budget, long bytes)
{
    private bool _isKept;

    /// <summary>Notes that what they were taken for is there.</summary>
    internal void Keep() => _isKept = true;

    /// <summary>Gives them back unless they are kept.</summary>
    public readonly void Dispose()
    {
        if (!_isKept)
        {
            budget.GiveBack(bytes);
        }
    }
}
