// What the background thread does, apart from the thread itself, so that a test can call it step by step.
namespace Pile.Cleaning;

/// <summary>A step of background work.</summary>
internal interface IHousekeeping
{
    /// <summary>Does what is due.</summary>
    /// <param name="woken">Whether something was written since the last step.</param>
    /// <returns>True when nothing is left to settle.</returns>
    bool Tick(bool woken);
}
