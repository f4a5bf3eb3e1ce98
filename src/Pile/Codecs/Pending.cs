// An object whose content was read and that is filled last: a hash container, whose keys' hash codes may read fields that
// are not there yet, or an object that builds itself from names and values.
// It is filled on demand, after everything that its keys refer to; once more where that was not there yet (FillOrder).
namespace Pile.Codecs;

/// <summary>Content that waits for its object.</summary>
internal sealed class Pending(Plan plan, object target, int offset, object? content, int[] dependencies, int comparers = 0)
{
    /// <summary>The plan that fills the object.</summary>
    internal Plan Plan { get; } = plan;

    /// <summary>The object.</summary>
    internal object Target { get; } = target;

    /// <summary>Where the object begins in the payload.</summary>
    internal int Offset { get; } = offset;

    /// <summary>What was read, in the plan's own form.</summary>
    internal object? Content { get; } = content;

    /// <summary>Where the values begin on which filling depends.</summary>
    internal int[] Dependencies { get; } = dependencies;

    /// <summary>How many of them, the first ones, are comparers, which may look into other objects.</summary>
    internal int Comparers { get; } = comparers;

    /// <summary>Its place in the order in which what waits is begun.</summary>
    internal int Order { get; set; }

    /// <summary>Whether it is filled.</summary>
    internal bool IsDone { get; private set; }

    /// <summary>Whether it was filled for now, for a frozen collection, and is to be filled once more.</summary>
    internal bool IsForNow { get; set; }

    /// <summary>Fills it, unless it is.</summary>
    internal void Complete()
    {
        if (!IsDone)
        {
            IsDone = true;
            Plan.Complete(this);
        }
    }

    /// <summary>Fills it while what its keys lead to is still being read.</summary>
    internal void CompleteForNow()
    {
        if (!IsDone && !IsForNow)
        {
            IsForNow = Plan.TryCompleteForNow(this);
            if (!IsForNow)
            {
                Complete();
            }
        }
    }
}
