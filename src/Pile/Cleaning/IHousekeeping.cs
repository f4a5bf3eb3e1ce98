// What the background thread does, apart from the thread itself, so that a test can call it step by step.
// It promises nothing about when it is called, and must not wait for long: Dispose waits for a step that has begun.
namespace Pile.Cleaning;

/// <summary>A step of background work.</summary>
internal interface IHousekeeping
{
    /// <summary>Does what is due.</summary>
    /// <param name="woken">Whether something was written since the last step.</param>
    /// <returns>True when nothing is left to settle.</returns>
    bool Tick(bool woken);
}
