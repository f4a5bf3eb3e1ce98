using System;
using System.Collections.Generic;
using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using PackageGraph.Reporting;
using PackageGraph.Whole;

namespace PackageGraph;

/// <summary>The command line: options, what is wrong with them, and how each failure ends the program.</summary>
internal static class CommandLine
{
    /// <summary>Exit codes besides 0 and the 1 of bad arguments.</summary>
    internal const int Failed = 2;
    internal const int TooLittleMemory = 3;
    internal const int Cancelled = 130;

    /// <summary>The command with its options.</summary>
    /// <param name="run">Does the work of the root command.</param>
    internal static RootCommand Build(Func<RunOptions, CancellationToken, int> run)
    {
        var objects = new Option<int>("--objects")
        {
            Description = "about how many objects to hold, in whole editions of the package index",
            HelpName = "N",
            DefaultValueFactory = _ => RunOptions.ObjectsDefault,
        };
        objects.Validators.Add(InRange(objects, 1, RunOptions.ObjectsMax));
        var seconds = new Option<double>("--seconds")
        {
            Description = "length of the background load, and of the live part, for each form",
            HelpName = "S",
            DefaultValueFactory = _ => RunOptions.SecondsDefault,
        };
        seconds.Validators.Add(InRange(seconds, 0.1, RunOptions.SecondsMax));
        var live = new Option<bool>("--live") { Description = "rewrite edges by one thread while another walks them" };
        var json = new Option<bool>("--json") { Description = "print the result as JSON and nothing else" };
        var why = new Option<string>("--why")
        {
            Description = "two packages A,B: why does A depend on B",
            HelpName = "A,B",
            DefaultValueFactory = _ => RunOptions.WhyDefault,
        };
        why.Validators.Add(result =>
        {
            if (result.GetValue(why) is { } pair && pair.Split(',').Length != 2)
            {
                result.AddError($"--why wants two packages with a comma between them, as in {RunOptions.WhyDefault}, not '{pair}'.");
            }
        });
        var page = new Option<string?>("--page") { Description = "where to write the HTML page", HelpName = "file" };
        var resultFile = new Option<string?>("--result") { Description = "also write the result to a JSON file", HelpName = "file" };
        var root = new RootCommand("Debian's package index, multiplied, as ordinary objects and in a pile: memory, pauses, reads and walks side by side.")
        {
            objects, live, seconds, why, json, page, resultFile,
        };
        // Off this thread: the command line can pass Ctrl+C on only after this has returned.
        root.SetAction((parsed, cancel) => Task.Run(() => Guard(() => run(
            new RunOptions
            {
                Objects = parsed.GetValue(objects),
                Live = parsed.GetValue(live),
                Seconds = parsed.GetValue(seconds),
                Why = parsed.GetValue(why)!,
                Json = parsed.GetValue(json),
                Page = parsed.GetValue(page),
                Result = parsed.GetValue(resultFile),
                Command = string.Join(' ', ["dotnet run -c Release --project samples/PackageGraph", .. parsed.Tokens.Count > 0 ? ["--"] : Array.Empty<string>(), .. Words(parsed)]),
            },
            cancel)), CancellationToken.None));
        root.Subcommands.Add(BuildPicture());
        root.Subcommands.Add(BuildWhole());
        return root;
    }

    private static Command BuildPicture()
    {
        var source = new Argument<string>("result") { Description = "a JSON file that --result wrote" };
        var target = new Argument<string>("picture") { Description = "the SVG file to write" };
        var command = new Command("picture", "Draws the picture of the README from a result.") { source, target };
        command.SetAction(parsed => Guard(() =>
        {
            string picture = Picture.Readme(GraphResult.FromJson(File.ReadAllText(parsed.GetValue(source)!)));
            File.WriteAllText(parsed.GetValue(target)!, picture);
            return 0;
        }));
        return command;
    }

    private static Command BuildWhole()
    {
        var command = new Command("whole", "Puts the whole dependency graph, cycles and all, as one object; gets it back and compares it node by node.");
        command.SetAction((_, cancel) => Task.Run(() => Guard(() =>
        {
            var face = new ConsoleFace(json: false);
            face.Say(WholeRun.Run(face, cancel).ToString());
            return 0;
        }), CancellationToken.None));
        return command;
    }

    /// <summary>Runs something and turns what a user can do something about into one line and an exit code.</summary>
    private static int Guard(Func<int> work)
    {
        try
        {
            return work();
        }
        catch (OperationCanceledException)
        {
            Console.Error.WriteLine("Stopped before the end; nothing was written.");
            return Cancelled;
        }
        catch (Exception exception) when (exception is InsufficientMemoryException or Pile.PileFullException or OutOfMemoryException)
        {
            Console.Error.WriteLine(exception is InsufficientMemoryException
                ? exception.Message
                : $"Memory ran out: {exception.Message} Hold less: --objects with a smaller number.");
            return TooLittleMemory;
        }
        catch (Exception exception) when (exception is IOException or InvalidDataException or UnauthorizedAccessException or ArgumentException)
        {
            Console.Error.WriteLine(exception.Message);
            return Failed;
        }
    }

    private static IEnumerable<string> Words(ParseResult parsed)
    {
        foreach (Token token in parsed.Tokens)
        {
            yield return token.Value;
        }
    }

    private static Action<OptionResult> InRange<T>(Option<T> option, T min, T max)
        where T : IComparable<T>, IFormattable =>
        result =>
        {
            foreach (Token token in result.Tokens)
            {
                if (typeof(T) == typeof(int) ? !int.TryParse(token.Value, CultureInfo.InvariantCulture, out _) : !double.TryParse(token.Value, CultureInfo.InvariantCulture, out _))
                {
                    return; // the parser says what is wrong with it
                }
            }

            T value = result.GetValueOrDefault<T>()!;
            if (value.CompareTo(min) < 0 || value.CompareTo(max) > 0)
            {
                string range = string.Create(CultureInfo.InvariantCulture, $"{option.Name} must lie between {min:#,0.##} and {max:#,0.##}, not {value:#,0.##}.");
                result.AddError(range);
            }
        };
}
