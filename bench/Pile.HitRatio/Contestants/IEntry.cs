namespace Pile.HitRatio.Contestants;

/// <summary>A contestant by name. Every class that implements it takes part: a new one is a file, and nothing else.</summary>
internal interface IEntry
{
    /// <summary>Its name in the tables and on the command line.</summary>
    string Name { get; }

    /// <summary>Its place in the tables.</summary>
    int Order { get; }

    /// <summary>Where it is described, and how its parts are sized.</summary>
    string Source { get; }

    /// <summary>Its package and version.</summary>
    string Version => Entries.VersionOf(GetType());

    /// <summary>Bytes that it keeps per object beyond key and value. The simulators are charged with the largest that takes part, unless
    /// the run says otherwise.</summary>
    int ChargeBytes => 0;

    /// <summary>The least bytes that it can be given.</summary>
    long CacheBytesMin => 0;

    /// <summary>A new one.</summary>
    IContestant Make(Budget budget);
}
