using System;
using System.Collections.Generic;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

namespace Pile.Tests.Memory.Simulation;

/// <summary>A directory: the names as they are, the names as they were last synced, and the changes between, any of which a
/// power cut may leave undone.</summary>
internal sealed class SimulatedDirectory : SimulatedNode
{
    private readonly Dictionary<string, SimulatedNode> _durable = [];
    private readonly List<Change> _changes = [];

    /// <summary>The names as they are. Changed by the methods here only.</summary>
    internal Dictionary<string, SimulatedNode> Names { get; } = [];

    internal void Add(string name, SimulatedNode node) => Do(new Change(null, name, node));

    internal void Remove(string name) => Do(new Change(name, null, Names[name]));

    internal void Rename(string source, string target) => Do(new Change(source, target, Names[source]));

    /// <summary>Removes a directory, for good; the files in it end.</summary>
    internal void Forget(string name)
    {
        var forgotten = (SimulatedDirectory)Names[name];
        Remove(name);
        Sync();
        foreach (SimulatedFile file in forgotten.Files())
        {
            file.Dispose();
        }
    }

    internal void Sync()
    {
        _durable.Clear();
        foreach ((string name, SimulatedNode node) in Names)
        {
            _durable.Add(name, node);
        }

        _changes.Clear();
    }

    /// <summary>What a power cut leaves, synced.</summary>
    /// <param name="choice">Decides.</param>
    /// <param name="cuts">What it leaves of the files, for files of several names.</param>
    internal SimulatedDirectory Cut(CutChoice choice, Dictionary<SimulatedNode, SimulatedNode> cuts)
    {
        Dictionary<string, SimulatedNode> left = new(_durable);
        choice.NextScope();
        foreach (Change change in _changes)
        {
            if (choice.Choose(2) == 1)
            {
                change.Apply(left);
            }
        }

        var cut = new SimulatedDirectory();
        foreach ((string name, SimulatedNode node) in left)
        {
            if (!cuts.TryGetValue(node, out SimulatedNode? its))
            {
                its = node is SimulatedFile file ? file.Cut(choice) : ((SimulatedDirectory)node).Cut(choice, cuts);
                cuts.Add(node, its);
            }

            cut.Names.Add(name, its);
        }

        cut.Sync();
        return cut;
    }

    /// <summary>The directory as another process finds it now.</summary>
    /// <param name="forks">The forks of its nodes, for files of several names.</param>
    internal SimulatedDirectory Fork(Dictionary<SimulatedNode, SimulatedNode> forks)
    {
        var fork = new SimulatedDirectory();
        foreach ((string name, SimulatedNode node) in Names)
        {
            fork.Names.Add(name, ForkOf(node));
        }

        foreach ((string name, SimulatedNode node) in _durable)
        {
            fork._durable.Add(name, ForkOf(node));
        }

        fork._changes.AddRange(_changes.ConvertAll(change => change with { Node = ForkOf(change.Node) }));
        return fork;

        SimulatedNode ForkOf(SimulatedNode node)
        {
            if (!forks.TryGetValue(node, out SimulatedNode? its))
            {
                its = node is SimulatedFile file ? file.Fork() : ((SimulatedDirectory)node).Fork(forks);
                forks.Add(node, its);
            }

            return its;
        }
    }

    /// <summary>All files in it and below, those too whose removal is not synced.</summary>
    internal IEnumerable<SimulatedFile> Files()
    {
        HashSet<SimulatedNode> nodes = [.. Names.Values, .. _durable.Values];
        foreach (Change change in _changes)
        {
            nodes.Add(change.Node);
        }

        foreach (SimulatedNode node in nodes)
        {
            if (node is SimulatedFile file)
            {
                yield return file;
            }
            else
            {
                foreach (SimulatedFile inner in ((SimulatedDirectory)node).Files())
                {
                    yield return inner;
                }
            }
        }
    }

    /// <summary>Adds what is durable to a sum: names, and what they lead to.</summary>
    internal void AddTo(IncrementalHash sum)
    {
        foreach ((string name, SimulatedNode node) in _durable.OrderBy(static pair => pair.Key, StringComparer.Ordinal))
        {
            sum.AppendData(Encoding.UTF8.GetBytes($"{name}/{node is SimulatedFile}/"));
            if (node is SimulatedFile file)
            {
                file.AddTo(sum);
            }
            else
            {
                ((SimulatedDirectory)node).AddTo(sum);
            }
        }

        sum.AppendData([0]);
    }

    private void Do(Change change)
    {
        change.Apply(Names);
        _changes.Add(change);
    }

    private readonly record struct Change(string? Removed, string? Added, SimulatedNode Node)
    {
        internal void Apply(Dictionary<string, SimulatedNode> names)
        {
            // A removal counts only where the name is still that of the node: other changes may have been left undone.
            if (Removed is not null && names.TryGetValue(Removed, out SimulatedNode? node) && node == Node)
            {
                names.Remove(Removed);
            }

            if (Added is not null)
            {
                names[Added] = Node;
            }
        }
    }
}
