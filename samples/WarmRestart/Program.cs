using System;
using System.CommandLine;
using System.Globalization;
using System.IO;
using WarmRestart;

switch (args)
{
    // The parts that this program starts of itself.
    case [WritingChild.Verb, string directory, string packages, string writes, string seed, string how]:
        return WritingChild.Run(directory, Number(packages), Number(writes), Number(seed), isHeld: how == "held");
    case [ReadingChild.Verb, string directory, string acknowledged, string how]:
        return ReadingChild.Run(directory, acknowledged, isCut: how == "cut");
    case [RefillingChild.Verb, string packages]:
        return RefillingChild.Run(Number(packages));
    default:
        break;
}

Option<int> packagesOption = AtLeastOne("--packages", "packages of the index to load; all unless fewer are wanted", RunOptions.PackagesDefault);
Option<int> writesOption = AtLeastOne("--writes", "acknowledged writes after which the process kills itself", RunOptions.WritesDefault);
Option<int> seedOption = AtLeastOne("--seed", "what is written, and which sectors a power cut takes", RunOptions.SeedDefault);
var jsonOption = new Option<bool>("--json") { Description = "print the result as JSON and nothing else" };
var svgOption = new Option<string?>("--svg") { Description = "where to draw the availability over time", HelpName = "file" };
var root = new RootCommand("A process that writes to a pile is killed, and its machine cut off; what it acknowledged is there again after milliseconds. Beside it a dictionary, filled again.")
{
    packagesOption, writesOption, seedOption, jsonOption, svgOption,
};
root.SetAction(parsed => Run(new RunOptions
{
    Packages = parsed.GetValue(packagesOption),
    Writes = parsed.GetValue(writesOption),
    Seed = parsed.GetValue(seedOption),
    Json = parsed.GetValue(jsonOption),
    Svg = parsed.GetValue(svgOption),
}));
return root.Parse(args).Invoke();

static int Run(RunOptions options)
{
    var face = new Face(options.Json);
    RestartResult result = new RestartRun(options, face.Say).Run();
    if (options.Svg is { } path)
    {
        File.WriteAllText(path, Picture.Of(result));
        face.Say($"picture: {Path.GetFullPath(path)}");
    }

    if (options.Json)
    {
        Console.WriteLine(result.ToJson());
    }
    else
    {
        face.Show(result);
    }

    return 0;
}

static Option<int> AtLeastOne(string name, string description, int value)
{
    var option = new Option<int>(name) { Description = description, HelpName = "N", DefaultValueFactory = _ => value };
    option.Validators.Add(result =>
    {
        if (result.GetValue(option) < 1)
        {
            result.AddError($"{name} must be at least 1.");
        }
    });
    return option;
}

static int Number(string text) => int.Parse(text, CultureInfo.InvariantCulture);
