namespace Pile.Tests.Memory.Simulation;

/// <summary>Decides what of the things that were not synced a power cut leaves.</summary>
internal abstract class CutChoice
{
    /// <summary>One of several states of something: 0 is the last synced one, the last is the newest.</summary>
    internal abstract int Choose(int options);

    /// <summary>Says that the choices from here on are of something else than those before: another file, another page.</summary>
    internal virtual void NextScope()
    {
    }
}
